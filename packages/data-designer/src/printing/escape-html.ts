const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Escapes untrusted text for elements and quoted attributes; cuts it to `characters`, and removes control characters and
 * those that change the text direction.
 */
export function escapeHtml(text: string, characters = 200): string {
  const shown = text.length > characters ? `${text.slice(0, characters)}…` : text;
  return shown
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, ' ')
    .replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
}
