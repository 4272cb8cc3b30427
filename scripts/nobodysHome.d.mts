/** Gives this process and its children an empty home folder and no key of a model's service; caches stay where they are. */
export function moveToNobodysHome(): void;
