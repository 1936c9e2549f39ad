const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Text of any origin as text of a page, in elements and quoted attributes: cut to so many characters, and without signs
 * that turn the direction of writing or cannot be shown.
 */
export function escapeHtml(text: string, characters = 200): string {
  const shown = text.length > characters ? `${text.slice(0, characters)}…` : text;
  return shown
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, ' ')
    .replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] as string);
}
