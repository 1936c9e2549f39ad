import { createContext, type ReactNode, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useSource } from '../data/data-source.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { ReviewStore } from './review-store.ts';

const ReviewsContext = createContext<ReviewStore | undefined>(undefined);

/** The reviews of the dataset; the component is drawn again when they change. Throws outside of `ReviewsProvider`. */
export function useReviews(): ReviewStore {
  const store = use(ReviewsContext);
  if (store === undefined) throw new Error('no reviews are provided');
  useSyncExternalStore(store.subscribe, store.changes);
  return store;
}

/** Reads the reviews of the dataset, and asks before a page closes that has unsaved ones. */
export function ReviewsProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const source = useSource();
  const { entry, version, columns } = useDataset();
  const store = useMemo(() => new ReviewStore({ source, dataset: entry.id }), [source, entry.id]);
  useEffect(() => store.setColumns(columns), [store, columns]);
  useEffect(() => store.load(), [store, version]);
  useEffect(() => {
    const onLeave = (event: BeforeUnloadEvent): void => {
      if (store.isUnsaved) event.preventDefault();
    };
    addEventListener('beforeunload', onLeave);
    return () => removeEventListener('beforeunload', onLeave);
  }, [store]);
  return <ReviewsContext value={store}>{children}</ReviewsContext>;
}
