// The page's few icons, drawn in the colour of the text around them.

import { html } from "./html.js";

const icon = (paths) => () => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`;

export const CameraIcon = icon(
  html`<path d="M4 8.500h3.200l1.6-2.500h6.400l1.6 2.500H20v10.500H4z" /><circle cx="12" cy="13.3" r="3.4" />`,
);
export const LiveIcon = icon(
  html`<rect x="3" y="6.5" width="12.5" height="11" rx="2" /><path d="m15.5 11 5.5-3.200v8.400L15.5 13z" />`,
);
export const PictureIcon = icon(
  html`<rect x="3.5" y="4.5" width="17" height="15" rx="2" /><circle cx="8.7" cy="9.5" r="1.6" /><path
      d="m4 17.5 5.2-4.7 3.6 3.1 3-2.6 4.7 4.2"
    />`,
);
export const CardsIcon = icon(
  html`<rect x="4" y="6" width="9.5" height="13.5" rx="1.7" transform="rotate(-9 8.7 12.7)" /><path
      d="m12.8 5.1 5.6 1.100a1.7 1.7 0 0 1 1.3 2l-1.9 9.300a1.7 1.7 0 0 1-2 1.300l-.8-.15"
    />`,
);
export const UndoIcon = icon(html`<path d="M8.5 5 4.5 9l4 4M5 9h8.500a5.5 5.5 0 0 1 0 11H9" />`);
export const PlusIcon = icon(html`<path d="M12 5v14M5 12h14" />`);
export const CloseIcon = icon(html`<path d="m6 6 12 12M18 6 6 18" />`);
export const CheckIcon = icon(html`<path d="m5 12.5 4.7 4.700L19 7.5" />`);
export const TorchIcon = icon(html`<path d="M13 3 5.5 13.500h5L10 21l8-11h-5.500z" />`);
