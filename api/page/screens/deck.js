// Your deck: photos of all its cards, one after another, each named by a person; then how it is read before and after.

import { JOKER, label, RANKS, spoken, SUITS } from "../cards.js";
import { playedDeck, playWith } from "../decks.js";
import { Busy, Problem, Screen } from "../frame.js";
import { doubtfulIds, handOf, openDoubts, settleCard } from "../hand.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { CameraIcon, PictureIcon } from "../icons.js";
import { Outlines } from "../outlines.js";
import { loadImage, withinLimits } from "../picture.js";
import { addDeckPhoto, decks as askDecks, forgetDeck, surveyDeck } from "../service.js";
import { Sheet } from "../sheet.js";
import { FileButton } from "../ways.js";
import { count } from "../wording.js";

const NO_CARD = "-";

/** Which kinds have been confirmed, as the suits of a pack and the joker. */
function Chart({ confirmed }) {
  const cell = (card) => {
    const isThere = confirmed.includes(card);
    return html`<li key=${card} class=${isThere ? "kind there" : "kind"}>
      <span class="unseen">${spoken(card)}: ${isThere ? "confirmed" : "missing"}</span>
      <span aria-hidden="true">${label(card)}</span>
    </li>`;
  };
  return html`<section aria-labelledby="chart-title">
    <h2 id="chart-title">${count(confirmed.length, "kind", "kinds")} of 53 confirmed</h2>
    ${SUITS.map((suit) => html`<ol key=${suit} class="kinds">${RANKS.map((rank) => cell(rank + suit))}</ol>`)}
    <ol class="kinds">${cell(JOKER)}</ol>
  </section>`;
}

/** One photo: what was read, a tap on a place corrects it. */
function Naming({ photo, isBusy, onHand, onDone, onDrop }) {
  const [picked, setPicked] = useState(null);
  const { hand, url } = photo;
  const held = hand.cards.find((each) => each.id === picked);
  const settle = (card, isNone) => {
    const settled = settleCard(hand, picked, card);
    onHand({ ...settled, cards: settled.cards.map((each) => (each.id === picked ? { ...each, isNone } : each)) });
    setPicked(null);
  };
  const textOf = (each) => (each.isNone ? "no card" : label(each.card));
  return html`<section aria-labelledby="naming-title">
    <h2 id="naming-title">Is every place right?</h2>
    <p class="hint">Tap what is wrong: choose the card, or "Not a card". A joker may be named in several places.</p>
    <${Outlines}
      url=${url}
      size=${hand.size}
      cards=${hand.cards}
      doubtful=${doubtfulIds(openDoubts(hand))}
      textOf=${textOf}
      onPick=${setPicked}
    />
    <ol class="kinds">
      ${hand.cards.map(
        (each) =>
          html`<li key=${each.id}>
            <button class="option" onClick=${() => setPicked(each.id)}>
              <span class="unseen">Change ${each.isNone ? "no card" : spoken(each.card)}</span>
              <span aria-hidden="true">${textOf(each)}</span>
            </button>
          </li>`,
      )}
    </ol>
    <div class="actions">
      <button class="button primary" disabled=${isBusy} onClick=${onDone}>
        ${isBusy ? "Learning…" : "All of this is right"}
      </button>
      <button class="button plain" disabled=${isBusy} onClick=${onDrop}>Drop this photo</button>
    </div>
    ${
      held &&
      html`<${Sheet}
        held=${held}
        added=${[]}
        photo=${{ url, size: hand.size }}
        onChoose=${(card) => settle(card, false)}
        onRemove=${() => settle(held.card, true)}
        onClose=${() => setPicked(null)}
      />`
    }
  </section>`;
}

export function YourDeck() {
  const [known, setKnown] = useState(null);
  const [name, setName] = useState(playedDeck() ?? "");
  const [played, setPlayed] = useState(playedDeck());
  const [photo, setPhoto] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const url = useRef(null);
  const load = () => askDecks().then(setKnown, setProblem);
  const clear = () => {
    if (url.current) URL.revokeObjectURL(url.current);
    url.current = null;
    setPhoto(null);
  };
  useEffect(() => {
    load();
    return clear;
  }, []);

  const attempt = async (work) => {
    setProblem(null);
    setBusy(true);
    try {
      await work();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const read = (file) =>
    attempt(async () => {
      clear();
      url.current = URL.createObjectURL(file);
      const blob = await withinLimits(file, await loadImage(url.current));
      const { scene } = await surveyDeck(blob);
      setPhoto({ blob, hand: handOf(scene), url: url.current });
    });
  const confirm = () =>
    attempt(async () => {
      const cards = photo.hand.cards.map((held) => (held.isNone ? NO_CARD : held.card));
      await addDeckPhoto(photo.blob, name.trim(), cards.join(" "));
      clear();
      await load();
    });
  const forget = (deck) =>
    attempt(async () => {
      await forgetDeck(deck);
      if (played === deck) choose(null);
      await load();
    });
  const choose = (deck) => {
    playWith(deck);
    setPlayed(deck);
  };

  const deck = known?.find((each) => each.name === name.trim());
  return html`<${Screen} title="Your deck">
    <${Problem} problem=${problem} />
    ${!known && !problem && html`<${Busy} />`}
    ${
      photo
        ? html`<${Naming}
            photo=${photo}
            isBusy=${isBusy}
            onHand=${(hand) => setPhoto({ ...photo, hand })}
            onDone=${confirm}
            onDrop=${clear}
          />`
        : html`<p>
              Most decks need no teaching. Is yours read badly? Lay its cards out so that none covers another, ten or so
              to a photo, each kind of joker too. Small pictures of the corners are kept, the photos are not.
            </p>
            <label for="deck-name">What the deck is called</label>
            <input
              id="deck-name"
              value=${name}
              maxlength="40"
              autocomplete="off"
              list="deck-names"
              onInput=${(event) => setName(event.target.value)}
            />
            <datalist id="deck-names">${(known ?? []).map((each) => html`<option key=${each.name} value=${each.name} />`)}</datalist>
            ${
              isBusy
                ? html`<${Busy}>Reading the photo…<//>`
                : name.trim() &&
                  html`<div class="actions">
                    <${FileButton} className="primary" capture="environment" onFile=${read}>
                      <${CameraIcon} />Take a photo of it
                    <//>
                    <${FileButton} className="tile" onFile=${read}><${PictureIcon} />Choose a picture<//>
                  </div>`
            }
            ${name.trim() && html`<${Chart} confirmed=${deck?.confirmed ?? []} />`}
            ${
              deck &&
              html`<p role="status">${deck.text}</p>
                <div class="actions">
                  ${
                    deck.missing.length === 0 &&
                    html`<button class="button" onClick=${() => choose(played === deck.name ? null : deck.name)}>
                      ${played === deck.name ? "Play without it" : "Play with it on this phone"}
                    </button>`
                  }
                  <button class="button plain" disabled=${isBusy} onClick=${() => forget(deck.name)}>Forget it</button>
                </div>`
            }`
    }
  <//>`;
}
