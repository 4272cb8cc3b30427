/** Stands in for parts of dockerode that nothing here calls (scripts/build.mjs). */
export const leftOut = null;
