/** Longer messages are compared by their beginning. */
const MAX_CAUSE = 300;

/**
 * The words of a failure's message without what differs from cell to cell: quoted values and numbers. Cells that failed for
 * one reason share them. The pages of a static copy use this too.
 */
export function failureCause(message: string): string {
  return message
    .replaceAll(/"[^"]*"|“[^”]*”|(?<![\p{L}\d])'[^']*'(?![\p{L}\d])/gu, '…')
    .replaceAll(/(?<![\p{L}_])[-+]?\d+(?:[.,:]\d+)*/gu, '#')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_CAUSE)
    .trim();
}
