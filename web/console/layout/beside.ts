/** Opens beside the page: what is on the page, and the sign-in, would be gone. */
export const beside = { target: '_blank', rel: 'noopener' } as const;
