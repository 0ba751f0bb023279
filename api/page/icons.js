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
export const BackIcon = icon(html`<path d="M14.5 5 7.5 12l7 7" />`);
export const SpeakerIcon = icon(
  html`<path d="M4 9.5v5h3.500l5 4v-13l-5 4z" /><path d="M16 9a4.2 4.2 0 0 1 0 6M18.6 6.500a8 8 0 0 1 0 11" />`,
);
export const ScalesIcon = icon(
  html`<path d="M12 4v15.500M8 19.500h8M5 7h14M5 7l-2.500 6.500a2.700 2.700 0 0 0 5 0zM19 7l-2.500 6.500a2.700 2.700 0 0 0 5 0z" />`,
);
export const ChartIcon = icon(html`<path d="M4 4.500v15h16" /><path d="m7.500 15 4-5 3.200 2.700 4.800-6.200" />`);
export const BookIcon = icon(
  html`<path d="M12 6.500c-2-1.600-4.700-2-8-2v13.500c3.300 0 6 .4 8 2 2-1.600 4.700-2 8-2v-13.500c-3.300 0-6 .4-8 2zM12 6.500v13.500" />`,
);
export const PeopleIcon = icon(
  html`<circle cx="8.5" cy="8.5" r="3.200" /><path d="M2.500 19c.4-3.600 2.800-5.500 6-5.500s5.600 1.900 6 5.500" /><path
      d="M15.500 5.600a3.200 3.200 0 0 1 0 5.800M17 13.800c2.400.5 4.100 2.300 4.500 5.200"
    />`,
);
export const ClockIcon = icon(html`<circle cx="12" cy="12" r="8.2" /><path d="M12 7.300v5l3.300 2" />`);
export const CrownIcon = icon(html`<path d="m4 8 4 3.600 4-6.100 4 6.100L20 8l-1.500 10h-13z" />`);
export const PauseIcon = icon(html`<path d="M8.500 5.500v13M15.500 5.500v13" />`);
export const PlayIcon = icon(html`<path d="M8 5.500v13l10-6.500z" />`);
export const LockIcon = icon(
  html`<rect x="5.500" y="10.500" width="13" height="9" rx="2" /><path d="M8.500 10.500V8a3.500 3.500 0 0 1 7 0v2.500" />`,
);
