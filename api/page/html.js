// Preact and its template tag, as every module of the page uses them.

import htm from "./vendor/htm.module.js";
import { h } from "./vendor/preact.module.js";

export { render } from "./vendor/preact.module.js";
export { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "./vendor/hooks.module.js";
export const html = htm.bind(h);
