import type { RequestOf } from '../../api/requests.ts';
import { type ReactNode, useState } from 'react';
import type { CutText } from '../../api/cells.ts';
import { type DataSource, useOptionalSource } from '../data/data-source.ts';
import { messageOf } from '../data/use-data.ts';
import { formatCount } from '../format.ts';
import { visibleText } from '../visible-text.ts';

/** A click on "more" loads this many characters. */
const MORE = 200_000;

interface LongTextProps {
  readonly cut: CutText;
  /** How to load the remaining text; absent if the text is complete. */
  readonly rest?: Omit<RequestOf<'text'>, 'from' | 'count'> | undefined;
  /** Draws the text; default: as it is, with its line breaks. */
  readonly draw?: ((text: string) => ReactNode) | undefined;
}

/** A text that may be cut, with a button that loads more of it. */
export function LongText({ cut, rest, draw = plainText }: LongTextProps): ReactNode {
  const source = useOptionalSource();
  const [loaded, setLoaded] = useState({ of: cut, text: cut.text, length: cut.length });
  const [error, setError] = useState<string>();
  const shown = loaded.of === cut ? loaded : { of: cut, text: cut.text, length: cut.length };
  const left = shown.length - shown.text.length;
  const load = async (from: DataSource, request: NonNullable<typeof rest>): Promise<void> => {
    const page = await from.ask('text', { ...request, from: shown.text.length, count: MORE });
    setLoaded({ of: cut, text: shown.text + page.text, length: page.length });
  };
  return (
    <>
      {draw(shown.text)}
      {left > 0 && (
        <p className="quiet small">
          … {formatCount(left)} more characters{' '}
          {rest !== undefined && source !== undefined && (
            <button
              type="button"
              className="plain"
              onClick={() => {
                load(source, rest).catch((cause: unknown) => setError(messageOf(cause)));
              }}
            >
              Show {left > MORE ? `the next ${formatCount(MORE)}` : 'all'}
            </button>
          )}
          {error}
        </p>
      )}
    </>
  );
}

const SCHEMA = /\s*<response_schema>\s*([^]*?)\s*<\/response_schema>\s*/;

/** A prompt with the schema of its answer folded: readers look for what was asked. */
export function drawPrompt(text: string): ReactNode {
  const found = SCHEMA.exec(text);
  if (found === null) return plainText(text);
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  return (
    <>
      {before !== '' && plainText(before)}
      <details>
        <summary className="quiet">Schema of the answer</summary>
        {plainText(found[1] ?? '')}
      </details>
      {after !== '' && plainText(after)}
    </>
  );
}

function plainText(text: string): ReactNode {
  return <div className="text">{text === '' ? <span className="quiet">(empty)</span> : visibleText(text)}</div>;
}
