/** Stands for the address of the service, which fills in its own. */
export const origin = 'https://keyward.example.com';

/** The usual header of an API key. A service that uses another fills that in. */
export const usualKeyHeader = 'X-API-Key';
