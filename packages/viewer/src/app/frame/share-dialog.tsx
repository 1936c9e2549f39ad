import { type ReactNode, useEffect, useRef, useState } from 'react';
import { shellWord } from '@data-designer/printing/shell-word';
import type { DatasetEntry } from '../../api/datasets.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { datasetParams } from '../filter-params.ts';
import { formatCount } from '../format.ts';
import { Link } from '../parts/link.tsx';
import { useAddress } from '../use-address.ts';
import { visibleText } from '../visible-text.ts';

interface ShareProps {
  readonly entry: DatasetEntry;
  /** Whether the pages are a static copy, which has no folder. */
  readonly isCopy: boolean;
  readonly onClose: () => void;
}

/** How to give a dataset to others, as a modal dialog. */
export function ShareDialog({ onClose, ...shared }: ShareProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const { params } = useAddress();
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} onClose={onClose} aria-labelledby="share-title" className="share">
      <h2 id="share-title">Share {visibleText(shared.entry.name)}</h2>
      <ShareWays {...shared} />
      <p>
        Only rows: the links after <em>Download</em> on the{' '}
        <span onClickCapture={() => ref.current?.close()}>
          <Link page="table" params={datasetParams(params)}>
            Table page
          </Link>
        </span>{' '}
        return the rows of the filter as a file, with edits and reviews as the boxes next to them say.
      </p>
      <button type="button" onClick={() => ref.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

/** The rows of the command that shows some. */
const SHOWN_ROWS = 20;

/** What is written for others, and the command that writes it. */
export function shareCommands(path: string, rows: number): readonly (readonly [what: string, command: string])[] {
  const folder = shellWord(visibleText(path));
  const shown = rows > SHOWN_ROWS ? `The first ${SHOWN_ROWS} of ${formatCount(rows)} rows` : 'All rows';
  return [
    [
      'These pages as a folder for any web server. The command asks whether to include conversations, and reviews with their edits; --traces and --reviews include them without asking',
      `data-designer view ${folder} --bundle site`,
    ],
    ['A report as one HTML file, without reviews and edits', `data-designer report ${folder} --html report.html`],
    [
      `${shown} as one HTML file, without reviews and edits`,
      `data-designer show ${folder} -n ${SHOWN_ROWS} --html records.html`,
    ],
    ['The folder of the dataset, with all files of its run and its reviews', visibleText(path)],
  ];
}

function ShareWays({ entry: { path }, isCopy }: Pick<ShareProps, 'entry' | 'isCopy'>): ReactNode {
  const { overview } = useDataset();
  if (isCopy) return <p>This is a static copy: send its address, or the folder of its files.</p>;
  return (
    <>
      <p>The address of this page works on this computer only. These commands write what others can open:</p>
      <dl className="fields">
        {shareCommands(path, overview.rows).map(([what, command]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd className="row">
              {/* A long command scrolls, so a keyboard must reach it. */}
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
              <code tabIndex={0}>{command}</code>
              <CopyButton text={command} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [said, setSaid] = useState('Copy');
  const onClick = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied'),
    );
  };
  return (
    <button type="button" onClick={onClick} aria-label={`${said}: ${text}`}>
      {said}
    </button>
  );
}
