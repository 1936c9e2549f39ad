import { type ReactNode, useState } from 'react';
import type { Media } from '../../api/cells.ts';
import { visibleText } from '../visible-text.ts';

/** Pictures and sound of a value. */
export function MediaView({ media }: { readonly media: readonly Media[] }): ReactNode {
  if (media.length === 0) return null;
  return (
    <div className="media">
      {media.map((one) => (
        <figure key={`${one.name} ${one.address}`}>
          <MediaElement media={one} />
          <figcaption className="quiet small">
            {visibleText(one.note === null ? one.name : `${one.name}: ${one.note}`)}
          </figcaption>
        </figure>
      ))}
    </div>
  );
}

function MediaElement({ media: { address, kind, name } }: { readonly media: Media }): ReactNode {
  const [hasFailed, setFailed] = useState(false);
  if (address === null) return null;
  if (hasFailed) return <p className="quiet">This picture cannot be read.</p>;
  if (kind === 'image') {
    const picture = <img src={address} alt={visibleText(name)} loading="lazy" onError={() => setFailed(true)} />;
    // Browsers do not open a `data:` address in a tab.
    return address.startsWith('data:') ? (
      picture
    ) : (
      <a href={address} target="_blank" rel="noreferrer">
        {picture}
      </a>
    );
  }
  return kind === 'audio' ? (
    <audio controls preload="none" src={address} />
  ) : (
    <video controls preload="none" src={address} />
  );
}

/** The pictures and sounds of a cell of the table, at the height of its row. */
export function Thumbnails({ media }: { readonly media: readonly Media[] }): ReactNode {
  return media.map(({ address, kind, name }) => {
    if (address === null) return null;
    if (kind === 'image') {
      return <img key={address} className="thumbnail" src={address} alt={visibleText(name)} loading="lazy" />;
    }
    return kind === 'audio' ? (
      <audio key={address} className="thumbnail" controls preload="none" src={address} aria-label={visibleText(name)} />
    ) : (
      <video key={address} className="thumbnail" controls preload="none" src={address} aria-label={visibleText(name)} />
    );
  });
}
