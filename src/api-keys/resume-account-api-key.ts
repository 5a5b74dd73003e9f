import { resume } from './pause.ts';
import { changeOfPause } from './pause-account-api-key.ts';

/**
 * Resumes an API key of any account, whoever paused it. A key that is not paused stays as it is.
 * @throws {GatewayError} `BAD_USER_INPUT`; `CONFLICT` for an inactive or expired key; `NOT_FOUND`
 */
export const resumeAccountApiKey = changeOfPause(resume);
