export { describeAttempts, describePasses, shownAttempts } from './describe-attempts.ts';
export { addCosts, costCell, describeCost, type PartlyKnownCost } from './describe-cost.ts';
export { describeFindings, describeTools } from './describe-findings.ts';
export { describeFolderDivert } from './describe-folder-divert.ts';
export { describeLostRows, priceOfRetry, RETRY_COMMAND } from './describe-lost-rows.ts';
export { describeRemark, isRemark, type RunRemark } from './describe-remark.ts';
export { fitText, textWidth, withoutControls } from './fit-text.ts';
export { filledHeadings, fittedTable } from './fitted-table.ts';
export {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatFineShare,
  formatPercent,
  formatRate,
  formatShare,
  formatTimeLeft,
  groupThousands,
  pluralize,
} from './format-numbers.ts';
export { shellWord } from './shell-word.ts';
export { styled, withColours } from './styled.ts';
export { textTable } from './text-table.ts';
export { replaceControls, wrapPieces, wrapText } from './wrap-text.ts';
