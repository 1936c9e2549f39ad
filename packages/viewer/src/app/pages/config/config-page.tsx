import type { ReactNode } from 'react';
import type { ConfigAnswer, PlanFacts } from '../../../api/config.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { formatCost, formatCount, formatFigure, pluralize } from '../../format.ts';
import { Facts, ListTable } from '../../parts/facts.tsx';
import { visibleText } from '../../visible-text.ts';
import { GraphDrawing } from './graph-drawing.tsx';

/** The declaration with the graph of its columns, the plan, and the run with its machine. */
export function ConfigPage(): ReactNode {
  const { entry, version } = useDataset();
  const source = useSource();
  const { data, error } = useData(`${entry.id} ${version}`, (signal) =>
    source.ask('config', { dataset: entry.id }, signal),
  );
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (data === undefined) return <p className="quiet">Reading the config…</p>;
  return <ConfigView config={data} />;
}

/** A config with its graph and plan. */
function ConfigView({ config }: { readonly config: ConfigAnswer }): ReactNode {
  const { declaration, graph, plan, environment } = config;
  return (
    <div className="stack config">
      <section>
        <h2>Columns and what they read</h2>
        <GraphDrawing graph={graph} />
      </section>
      <PlanSection plan={plan} />
      {Object.keys(environment).length > 0 && (
        <section>
          <h2>Run and machine</h2>
          <dl className="fields card">
            {Object.entries(environment).map(([name, value]) => (
              <div key={name}>
                <dt>{visibleText(name)}</dt>
                <dd className="text">{visibleText(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {declaration !== null && (
        <section>
          <h2>Declaration</h2>
          <pre className="code">{visibleText(declaration)}</pre>
        </section>
      )}
    </div>
  );
}

function PlanSection({ plan }: { readonly plan: PlanFacts }): ReactNode {
  const { models, tools, processors } = plan;
  return (
    <section className="stack">
      <h2>Plan</h2>
      <Facts
        facts={[
          ['seed', String(plan.seed)],
          ['rows', formatCount(plan.rows)],
          ['row groups', `${formatCount(plan.groups)}, each of up to ${pluralize(plan.groupSize, 'row')}`],
          ['budget', plan.maxCost === null ? null : formatCost(plan.maxCost)],
        ]}
      />
      {models.length > 0 && (
        <ListTable
          caption="Models of the plan"
          headings={['Alias', 'Model', 'Provider', 'Limit', 'Parameters', 'Price per million tokens']}
          numeric={[3]}
          rows={models.map(({ alias, model, provider, limit, parameters, pricing }) => ({
            key: alias,
            cells: [
              visibleText(alias),
              visibleText(model),
              visibleText(provider),
              formatCount(limit),
              <code key="parameters">{visibleText(JSON.stringify(parameters))}</code>,
              pricing === null ? 'none' : `${formatFigure(pricing.input)} in, ${formatFigure(pricing.output)} out`,
            ],
          }))}
        />
      )}
      {tools.length > 0 && (
        <ListTable
          caption="Tools of the plan"
          headings={['Alias', 'Providers', 'Most turns', 'Tools']}
          numeric={[2]}
          texts={[1, 3]}
          rows={tools.map(({ alias, providers, maxTurns, names }) => ({
            key: alias,
            cells: [
              visibleText(alias),
              visibleText(providers.join(', ')),
              formatCount(maxTurns),
              visibleText(names.join(', ')),
            ],
          }))}
        />
      )}
      {processors.length > 0 && (
        <ListTable
          caption="Processors of the plan"
          headings={['Processor', 'Type']}
          rows={processors.map(({ name, type }) => ({ key: name, cells: [visibleText(name), type] }))}
        />
      )}
    </section>
  );
}
