import { useEffect } from 'react';

/** The name of the highlights in the style sheet. */
const NAME = 'search';
/** Texts with more matches are highlighted in part. */
const MAX_RANGES = 2000;
/** The page is searched this long after its last change. */
const DRAW_MS = 40;

/**
 * Highlights a text wherever the page shows it, also what appears later, and unfolds what hides a match in a record. The page
 * itself is not changed. Browsers without the CSS Custom Highlight API show no highlights.
 */
export function useHighlights(text: string | undefined): void {
  useEffect(() => {
    if (!text || !('highlights' in CSS)) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // The content is replaced while a dataset loads.
        const root = document.querySelector('#content');
        if (root !== null) CSS.highlights.set(NAME, new Highlight(...rangesOf(root, text)));
      }, DRAW_MS);
    };
    const observer = new MutationObserver(draw);
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    draw();
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [text]);
}

function rangesOf(root: Element, text: string): readonly Range[] {
  const wanted = text.toLowerCase();
  const ranges: Range[] = [];
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('.filter-bar') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = nodes.nextNode(); node !== null && ranges.length < MAX_RANGES; node = nodes.nextNode()) {
    const own = (node.textContent ?? '').toLowerCase();
    for (let at = own.indexOf(wanted); at !== -1; at = own.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange();
      // Some letters are longer in lower case.
      const { length } = node.textContent ?? '';
      range.setStart(node, Math.min(at, length));
      range.setEnd(node, Math.min(at + wanted.length, length));
      ranges.push(range);
      unfold(node, root);
    }
  }
  return ranges;
}

/** Opens the folds around a match, each once: a reader may fold them again. */
function unfold(node: Node, root: Element): void {
  for (let around = node.parentElement; around !== null && around !== root; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement && !around.open && around.dataset['unfolded'] === undefined) {
      around.dataset['unfolded'] = '';
      around.open = true;
    }
  }
}
