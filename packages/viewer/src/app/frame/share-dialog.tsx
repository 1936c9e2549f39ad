import { type ReactNode, useEffect, useRef } from 'react';
import { shellWord } from '@data-designer/printing/shell-word';
import type { DatasetEntry } from '../../api/datasets.ts';
import { datasetParams } from '../filter-params.ts';
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
        return the rows of the filter as a file.
      </p>
      <button type="button" onClick={() => ref.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

/** What is written for others, and the command that writes it. */
export function shareCommands(path: string): readonly (readonly [what: string, command: string])[] {
  const folder = shellWord(visibleText(path));
  return [
    [
      'These pages as a folder for any web server; with --traces and --reviews it has conversations and reviews',
      `data-designer view ${folder} --bundle site`,
    ],
    ['A report as one HTML file', `data-designer report ${folder} --html report.html`],
    ['Records as one HTML file', `data-designer show ${folder} -n 20 --html records.html`],
    ['The folder of the dataset, with all files of its run', visibleText(path)],
  ];
}

function ShareWays({ entry: { path }, isCopy }: Pick<ShareProps, 'entry' | 'isCopy'>): ReactNode {
  if (isCopy) return <p>This is a static copy: send its address, or the folder of its files.</p>;
  return (
    <>
      <p>The address of this page works on this computer only. These commands write what others can open:</p>
      <dl className="fields">
        {shareCommands(path).map(([what, command]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              <code>{command}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
