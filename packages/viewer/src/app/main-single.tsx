export { recordsPage } from './single/records-page.tsx';
export { reportPage, workflowPage } from './single/report-page.tsx';
