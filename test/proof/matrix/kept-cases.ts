/** Cases that once failed, by path: `npm test` runs them every time. */
export const keptCases: { path: string; failpoint: string; fault: string }[] = []
