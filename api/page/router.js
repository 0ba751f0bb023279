// Which screen is shown: the part of the address behind '#', so that a phone's back button does what it should.

import { useEffect, useState } from "./html.js";

/** The parts of an address such as "#/game/Zk3v/score/Ana?round=2", and what it asks for. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

/** The address of a screen: its parts, and what it is asked for. */
export function addressOf(parts, query = {}) {
  const asked = new URLSearchParams(query).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

export const go = (parts, query) => {
  location.hash = addressOf(parts, query);
};

/** Go to a screen that takes the place of this one, so that the back button skips it. */
export const goInstead = (parts, query) => location.replace(addressOf(parts, query));

export function useRoute() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return { hash, ...parse(hash) };
}
