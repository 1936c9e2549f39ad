import { useEffect, useEffectEvent, useState } from 'react';

/** What a request gave so far; `data` of an earlier key stays until the next answer, with `isOld`. */
export interface LoadState<Data> {
  readonly data?: Data;
  readonly error?: string;
  readonly isLoading: boolean;
  /** Whether `data` belongs to an earlier key. */
  readonly isOld: boolean;
}

interface State<Data> {
  readonly key: string;
  readonly data?: Data;
  readonly error?: string;
}

/** Loads data whenever the key changes; a newer key aborts the request of an older one. No key loads nothing. */
export function useData<Data>(key: string | undefined, load: (signal: AbortSignal) => Promise<Data>): LoadState<Data> {
  const [state, setState] = useState<State<Data>>();
  const start = useEffectEvent(load);
  useEffect(() => {
    if (key === undefined) return undefined;
    const abort = new AbortController();
    start(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ key, data });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((old) => ({ ...old, key, error: messageOf(error) }));
      },
    );
    return () => abort.abort();
  }, [key]);
  const isOld = state?.key !== key;
  return {
    ...(state?.data === undefined ? {} : { data: state.data }),
    ...(state?.error === undefined || isOld ? {} : { error: state.error }),
    isLoading: isOld && key !== undefined,
    isOld,
  };
}

/** The message of a failed request. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
