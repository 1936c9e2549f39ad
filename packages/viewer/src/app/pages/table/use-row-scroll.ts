import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useReducer, useState } from 'react';
import { flushSync } from 'react-dom';
import { RowScroll } from './row-scroll.ts';

/** Rows drawn above and below those in view. */
const OVERSCAN = 4;

interface RowScrollOptions {
  readonly count: number;
  readonly rowHeight: number;
  readonly headHeight: number;
  readonly element: RefObject<HTMLDivElement | null>;
}

interface ScrolledRows {
  readonly items: readonly VirtualItem[];
  /** The height of the body in the page. */
  readonly height: number;
  /** What to add to the start of a row for its place in the body. */
  readonly shift: number;
  /** Brings a row into view; returns whether nothing of it was. */
  readonly showRow: (position: number) => boolean;
  /** The rows that fit on the screen. */
  readonly pageRows: number;
}

/** The rows in view of a grid that may be higher than browsers allow. */
export function useRowScroll({ count, rowHeight, headHeight, element }: RowScrollOptions): ScrolledRows {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const [rows] = useState(() => new RowScroll());
  rows.resize({ count, rowHeight, headHeight });
  const observe = useCallback(
    (_: Virtualizer<HTMLDivElement, Element>, report: (offset: number, isScrolling: boolean) => void) => {
      if (element.current === null) return undefined;
      let isStarted = false;
      const stop = rows.observe(element.current, (offset, isScrolling) => {
        report(offset, isScrolling);
        // The scroll bar has moved: the rows must move with it before the next frame.
        if (isStarted && !isScrolling) flushSync(redraw);
      });
      isStarted = true;
      return stop;
    },
    [element, rows],
  );
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => element.current,
    overscan: OVERSCAN,
    observeElementOffset: observe,
    scrollToFn: (offset) => rows.scrollTo(offset),
  });
  return {
    items: virtualizer.getVirtualItems(),
    height: rows.height,
    shift: rows.shift,
    showRow: useCallback((position: number) => rows.show(position), [rows]),
    pageRows: rows.pageRows,
  };
}
