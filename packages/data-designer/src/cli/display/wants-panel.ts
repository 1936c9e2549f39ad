/** What was said about a panel: the flag wins over the run settings. */
interface PanelWishes {
  readonly tui: boolean | undefined;
  readonly displayTui: boolean | null;
}

/** Whether a run is shown as a panel: unless somebody says no, where standard error is a terminal that can draw one. */
export function wantsPanel(
  { tui, displayTui }: PanelWishes,
  { isTTY, term }: { readonly isTTY: boolean | undefined; readonly term: string | undefined },
): boolean {
  return (tui ?? displayTui ?? true) && isTTY === true && term !== 'dumb';
}
