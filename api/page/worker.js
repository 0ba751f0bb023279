// Keeps the page itself on the phone, so that it opens while the service is away. What the service says is never kept.

const CACHE = "page";
const PATIENCE_MS = 4000;
const PAGE = [
  "index.html",
  "acts.js",
  "app.js",
  "camera.js",
  "cards.js",
  "cell.js",
  "chart.js",
  "closing.js",
  "conflict.js",
  "contract.js",
  "counting.js",
  "decks.js",
  "dialog.js",
  "frame.js",
  "geometry.js",
  "hand.js",
  "hands.js",
  "houserules.js",
  "html.js",
  "icon-192.png",
  "icon-512.png",
  "icon.svg",
  "icons.js",
  "lazy.js",
  "live.js",
  "looks.js",
  "manifest.webmanifest",
  "melds.js",
  "notices.js",
  "outbox.js",
  "outlines.js",
  "overlay.js",
  "photos.js",
  "picture.js",
  "records.js",
  "result.js",
  "router.js",
  "rulespage.js",
  "scanning.js",
  "screens/check.js",
  "screens/connection.js",
  "screens/deck.js",
  "screens/handsfree.js",
  "screens/history.js",
  "screens/home.js",
  "screens/members.js",
  "screens/newgame.js",
  "screens/round.js",
  "screens/rules.js",
  "screens/score.js",
  "screens/scores.js",
  "service.js",
  "sheet.js",
  "speaker.js",
  "stillness.js",
  "style.css",
  "table.js",
  "vendor/hooks.module.js",
  "vendor/htm.module.js",
  "vendor/preact.module.js",
  "viewfinder.js",
  "voice.js",
  "ways.js",
  "wording.js",
];
const HERE = new URL("./", self.location).href;
const KEPT = new Set(PAGE.map((name) => new URL(name, HERE).href));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(PAGE)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** The newest there is: from the service if it answers soon, else as it was kept. */
async function newest(request, name) {
  const cache = await caches.open(CACHE);
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE_MS));
  try {
    const answer = await Promise.race([fetch(request), late]);
    if (answer.ok && KEPT.has(request.url)) await cache.put(request, answer.clone());
    return answer;
  } catch {
    return (await cache.match(name)) ?? fetch(request);
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate" && request.url.split("#")[0] === HERE) event.respondWith(newest(request, "index.html"));
  else if (KEPT.has(request.url)) event.respondWith(newest(request, request));
});
