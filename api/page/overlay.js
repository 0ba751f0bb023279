// Outlines and names of cards, drawn on a canvas over the live picture.

import { ink, label } from "./cards.js";
import { letterbox, toBox } from "./geometry.js";

const SURE = "#7fe3b8";
const DOUBTFUL = "#ffc15a";
const NAME_HEIGHT = 22;

/**
 * @param {HTMLCanvasElement} canvas as large on the screen as the video under it
 * @param {{size: number[], cards: object[]} | null} hand whose outlines are pixels of the frame; none clears
 * @param {Set<number>} doubtful ids of the cards that are in doubt
 */
export function drawOutlines(canvas, hand, doubtful) {
  const { width, height } = canvas.getBoundingClientRect();
  const density = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const pen = canvas.getContext("2d");
  if (!hand) return;
  pen.scale(density, density);
  const placed = letterbox(hand.size, [width, height]);
  const seen = hand.cards.filter((held) => held.quad);
  for (const held of seen) {
    const isDoubtful = doubtful.has(held.id);
    pen.beginPath();
    held.quad.forEach((corner, place) => pen[place ? "lineTo" : "moveTo"](...toBox(placed, corner)));
    pen.closePath();
    pen.setLineDash(isDoubtful ? [8, 5] : []);
    pen.lineWidth = 4;
    pen.strokeStyle = "rgb(0 0 0 / 50%)";
    pen.stroke();
    pen.lineWidth = 2;
    pen.strokeStyle = isDoubtful ? DOUBTFUL : SURE;
    pen.stroke();
  }
  pen.font = "700 14px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const held of seen) {
    const text = label(held.card) + (doubtful.has(held.id) ? "?" : "");
    const [x, y] = toBox(placed, held.spots[0] ?? held.quad[0]);
    const wide = pen.measureText(text).width + 10;
    const [middleX, middleY] = [x + held.up[0] * 28, y + held.up[1] * 28];
    pen.fillStyle = doubtful.has(held.id) ? "#ffd78f" : "#fffefa";
    pen.beginPath();
    pen.roundRect(middleX - wide / 2, middleY - NAME_HEIGHT / 2, wide, NAME_HEIGHT, 6);
    pen.fill();
    pen.fillStyle = ink(held.card) === "red" ? "#b3201c" : "#1b1a17";
    pen.fillText(text, middleX, middleY + 1);
  }
}
