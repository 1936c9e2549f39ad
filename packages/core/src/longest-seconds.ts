/** The longest that a run can be timed, in seconds: as long as a timer of Node can be, 24 days. */
export const LONGEST_SECONDS = 2_147_483;
