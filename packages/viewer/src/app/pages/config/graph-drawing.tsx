import { type ReactNode, useMemo } from 'react';
import type { ColumnGraph } from '../../../api/config.ts';
import { visibleText } from '../../visible-text.ts';
import { BOX, layoutGraph, type PlacedNode } from './graph-layout.ts';

/** The columns as boxes and their references as lines; a list next to it is for screen readers. */
export function GraphDrawing({ graph }: { readonly graph: ColumnGraph }): ReactNode {
  const layout = useMemo(() => layoutGraph(graph), [graph]);
  if (layout.nodes.length === 0) return <p className="quiet">The plan has no columns.</p>;
  return (
    // The region scrolls, so a keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="scroll-x graph" tabIndex={0} role="region" aria-label="Dependency graph of the columns">
      <svg
        width={layout.width + 4}
        height={layout.height + 4}
        viewBox={`-2 -2 ${layout.width + 4} ${layout.height + 4}`}
        aria-hidden="true"
      >
        {layout.edges.map(({ from, to, isSkip }) => (
          <path
            key={`${from.node.name} ${to.node.name} ${isSkip}`}
            className={isSkip ? 'edge skip-edge' : 'edge'}
            d={edgePath(from, to)}
          />
        ))}
        {layout.nodes.map((placed) => (
          <Box key={placed.node.name} {...placed} />
        ))}
      </svg>
      <ul className="sr-only">
        {graph.nodes.map(({ name, columnType }) => (
          <li key={name}>
            {visibleText(name)}, {columnType}, reads{' '}
            {visibleText(graph.edges.flatMap(({ from, to }) => (to === name ? from : [])).join(', ') || 'no column')}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The space left and right of the text in a box. */
const PADDING = 10;

function Box({ node, x, y }: PlacedNode): ReactNode {
  const { name, columnType, kind, isDropped, modelAlias, toolAlias, skip } = node;
  const detail = [columnType, modelAlias, toolAlias].filter((part) => part !== null).join(' · ');
  return (
    <g className={`node kind-${kind}`} transform={`translate(${x} ${y})`}>
      <title>
        {visibleText(
          `${name}: ${detail}${skip === null ? '' : `, skipped if ${skip.when}`}${isDropped ? ', dropped' : ''}`,
        )}
      </title>
      <rect width={BOX.width} height={BOX.height} rx={6} className={isDropped ? 'dropped' : undefined} />
      <foreignObject x={PADDING} y={4} width={BOX.width - 2 * PADDING} height={BOX.height - 6}>
        <div className="node-name">{visibleText(name)}</div>
        <div className="node-detail">{visibleText(detail)}</div>
      </foreignObject>
    </g>
  );
}

function edgePath(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const bend = Math.max(30, (x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
