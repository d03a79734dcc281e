/** Replaces a text that occurs once in a file of `src/` or `migrations/`. */
export type Edit = { file: string; old: string; new: string }

/** Paths of the crash matrix that use the broken code. */
export type MatrixPaths = {
  /** Files of tests, without their ending. */
  of: string[]
  /** Parts of the names of paths in them. */
  named: string[]
}

/**
 * A mistake that a plausible change of the code could make. It compiles, and it must be caught by
 * the crash matrix or by the simulator. Most rules are held twice, so some breakages need several
 * edits: for the rule, and for the constraint of the database behind it.
 */
export type Breakage = {
  name: string
  /** What it would cost. */
  why: string
  paths: MatrixPaths
  edits: Edit[]
}
