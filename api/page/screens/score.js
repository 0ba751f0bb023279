// Scoring a hand, in a game or without one: by photo, by the live camera, by tapping, or as a sum.

import { split } from "../cards.js";
import { Conflict } from "../conflict.js";
import { Head, Problem } from "../frame.js";
import { correctionOf, handOf, handOfCards, mergeHands } from "../hand.js";
import { cellOf, useHands } from "../hands.js";
import { html, useEffect, useState } from "../html.js";
import { CardsIcon, CrownIcon } from "../icons.js";
import { Live } from "../live.js";
import { notify } from "../notices.js";
import { dropPhoto, keptPhotos } from "../photos.js";
import { Result } from "../result.js";
import { goInstead } from "../router.js";
import { Scanning, useScanning } from "../scanning.js";
import { giveCorrection, me } from "../service.js";
import { Ways } from "../ways.js";
import { typedSum } from "../wording.js";

const WAYS = { name: "ways" };

function TypedSum({ onPoints, isBusy }) {
  const [text, setText] = useState("");
  const sum = typedSum(text);
  const send = (event) => {
    event.preventDefault();
    onPoints(sum);
  };
  return html`<form class="typed" onSubmit=${send}>
    <label for="typed">Or type the points</label>
    <div class="row">
      <input
        id="typed"
        value=${text}
        inputmode="tel"
        autocomplete="off"
        placeholder="12+11+7"
        onInput=${(event) => setText(event.target.value)}
      />
      <button class="button" disabled=${sum === null || isBusy}>
        ${sum === null ? "Record" : `Record ${sum}`}
      </button>
    </div>
  </form>`;
}

/** @param {object} table the game as `useGame` gives it; null to score a hand without one */
export function Score({ table = null, player = null, round = null, photo = null, back = "#/" }) {
  const game = table?.game ?? null;
  const place = game ? { game: game.id, round, player } : {};
  const cell = game ? cellOf(game, round, player) : undefined;
  const title = player ? `${player}, round ${round}` : "The hand";
  const [screen, setScreen] = useState(
    cell?.cards ? { name: "hand", hand: handOfCards(split(cell.cards)), first: null } : WAYS,
  );
  const [problem, setProblem] = useState(null);
  const hands = useHands(table ?? { game: null });
  const scanning = useScanning(place, (sentence) => setProblem(sentence));

  const [keepsPhotos, setKeepsPhotos] = useState(false);
  const [isGiven, setGiven] = useState(false);
  useEffect(() => {
    me().then(
      ({ keeps }) => setKeepsPhotos(keeps),
      () => {},
    );
  }, []);

  /** @param {Blob} [sent] the one picture that was read; without it there is none to give for training */
  const found = (answer, sent = null) => {
    setGiven(false);
    setScreen({ name: "hand", hand: handOf(answer.scene), first: answer.score, photo: sent });
  };
  const read = (file) => {
    setProblem(null);
    scanning.read(file, found);
  };
  const readSecond = (file) => {
    setProblem(null);
    scanning.read(
      file,
      ({ scene }) => setScreen((before) => ({ ...before, hand: mergeHands(before.hand, handOf(scene)), first: null, photo: null })),
      { keepPicture: true },
    );
  };
  const leave = () => {
    setProblem(null);
    if (screen.name === "ways" || cell) location.hash = back;
    else setScreen(WAYS);
  };
  const enter = async (what, andThen = () => {}) => {
    if (!(await hands.enter(player, round, what))) return;
    andThen();
    goInstead(...backTo(back));
  };
  const give = (correction) =>
    giveCorrection(screen.photo, correction, place).catch((error) =>
      notify(`The hand is entered; its photo was not shared. ${error.message}`),
    );

  useEffect(() => {
    if (!photo) return;
    keptPhotos(game.id).then((kept) => {
      const mine = kept.find((each) => each.key === photo);
      if (mine) dropPhoto(photo).then(() => read(mine.blob));
    });
  }, [photo]);
  useEffect(() => {
    // A picture dropped anywhere on the screen is read.
    const over = (event) => event.dataTransfer.types.includes("Files") && event.preventDefault();
    const dropped = (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      read(event.dataTransfer.files[0]);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", dropped);
    };
  }, []);
  useEffect(() => document.querySelector("h1")?.focus({ preventScroll: true }), [screen.name, scanning.state === null]);

  const conflict =
    hands.conflict &&
    html`<${Conflict}
      problem=${hands.conflict.problem}
      onMine=${async () => (await hands.conflict.useMine()) && goInstead(...backTo(back))}
      onTheirs=${async () => {
        await hands.conflict.useTheirs();
        goInstead(...backTo(back));
      }}
    />`;

  if (scanning.state) return html`<${Scanning} state=${scanning.state} onStop=${() => scanning.stop()} />`;
  if (screen.name === "live") {
    return html`<${Live}
      place=${place}
      onTaken=${(frame, answer) => {
        scanning.show(frame);
        found(answer);
      }}
      onPhoto=${read}
      onClose=${() => setScreen(WAYS)}
      onRefused=${(sentence) => {
        setProblem(sentence);
        setScreen(WAYS);
      }}
    />`;
  }
  if (screen.name === "hand") {
    const correction = keepsPhotos && screen.photo ? correctionOf(screen.hand) : null;
    const confirm = (cards) => {
      const { scanned } = screen.hand;
      const what = { cards: cards.join(" "), ...(scanned && { scanned: scanned.join(" ") }) };
      return enter(what, () => correction && isGiven && give(correction));
    };
    const action = game && {
      label: cell ? "Correct it" : "Confirm",
      isBusy: hands.isBusy,
      onConfirm: confirm,
    };
    return html`<${Result}
        title=${title}
        place=${place}
        hand=${screen.hand}
        first=${screen.first}
        url=${scanning.url.current}
        problem=${problem ?? hands.problem?.message}
        action=${action}
        sharing=${action && correction && { isOn: isGiven, onChange: setGiven }}
        onHand=${(hand) => setScreen({ ...screen, hand })}
        onSecond=${readSecond}
        onLeave=${leave}
      />${conflict}`;
  }
  return html`<main class="screen">
    <${Head} title=${player ? title : "What is left in the hand?"} back=${back} />
    <p class="lead">
      Fan the cards so that every corner shows, and take one photo. Each card gets its points, and the sum is spelt out.
    </p>
    ${problem && html`<div class="notice" role="alert"><p>${problem}</p></div>`}
    <${Problem} problem=${hands.problem} />
    <${Ways} onFile=${read} onLive=${() => setScreen({ name: "live" })}>
      <button class="button tile" onClick=${() => setScreen({ name: "hand", hand: handOfCards(), first: null })}>
        <${CardsIcon} />Tap cards in
      </button>
      ${
        game &&
        html`<button class="button tile" disabled=${hands.isBusy} onClick=${() => enter({ cards: "" })}>
          <${CrownIcon} />Went out
        </button>`
      }
    <//>
    ${game && html`<${TypedSum} isBusy=${hands.isBusy} onPoints=${(points) => enter({ points })} />`}
    ${conflict}
  </main>`;
}

/** The parts of an address, so that it can be gone to in place of this screen. */
const backTo = (address) => [address.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent)];
