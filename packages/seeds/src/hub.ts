export { mayPass, passingFailure, sayStatus, shownUrl } from './hub/hub-answer.ts';
export { type HubToken, readHubToken } from './hub/hub-token.ts';
export { tryAgain } from './hub/try-again.ts';
