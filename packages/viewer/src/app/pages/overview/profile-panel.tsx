import type { ReactNode } from 'react';
import type { Condition } from '../../../api/filter.ts';
import { withParams } from '../../address.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams, filterParams } from '../../filter-params.ts';
import { ProfileView } from '../../parts/profile/profile-view.tsx';
import { goTo, useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';

/** The profile of the finished dataset; a bar leads to its rows in the table. */
export function ProfilePanel(): ReactNode {
  const { entry, version, overview } = useDataset();
  const source = useSource();
  const { params } = useAddress();
  const isWanted = overview.state !== 'running' && overview.rows > 0;
  const { data, error, isLoading } = useData(isWanted ? `${entry.id} ${version}` : undefined, (signal) =>
    source.ask('profile', { dataset: entry.id }, signal),
  );
  const onPick = (condition: Condition): void => {
    goTo({ page: 'table', params: withParams(datasetParams(params), filterParams({ where: [condition] })) });
  };
  if (!isWanted) return null;
  return (
    <section aria-busy={isLoading}>
      <h2>Profile</h2>
      {isLoading && <p className="quiet">Counting the profile…</p>}
      {error !== undefined && <p className="notice error">{error}</p>}
      {data?.note != null && <p className="quiet">{visibleText(data.note)}</p>}
      {data?.profile != null && <ProfileView profile={data.profile} onPick={onPick} />}
    </section>
  );
}
