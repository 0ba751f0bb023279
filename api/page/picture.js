// Picture files: shown as they are, sent as they are unless the service would refuse them for their size.

// The service's own limits (vision/photo.py).
export const MAX_BYTES = 15_000_000;
export const MAX_PIXELS = 50_000_000;

const REDUCED_SIDE = 4000;
const REDUCED_QUALITY = 0.92;

/** The picture at an address, upright, or null where this browser cannot show it. */
export function loadImage(url) {
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    image.src = url;
  });
}

/**
 * The file itself, or where it is above the limits a smaller one with a longest side of 4000 pixels.
 * @param {Blob} file the picture file
 * @param {HTMLImageElement | null} image the same, loaded
 */
export function withinLimits(file, image) {
  const { naturalWidth: width, naturalHeight: height } = image ?? { naturalWidth: 0, naturalHeight: 0 };
  if (!image || (file.size <= MAX_BYTES && width * height <= MAX_PIXELS)) return Promise.resolve(file);
  const scale = Math.min(1, REDUCED_SIDE / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), "image/jpeg", REDUCED_QUALITY));
}
