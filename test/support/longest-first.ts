import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files start first, so that none runs alone at the end. */
const long = [
  '/storms/',
  '/journeys/',
  '/pages/',
  '/docs/pages.test',
  '/lying-nodes.test',
  '/silent-database.test',
  '/docs/',
  'test/reconcile.test',
  '/payouts/',
  '/embedded/',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = long.findIndex((part) => moduleId.includes(part))
      return found < 0 ? long.length : found
    }
    return files.toSorted(
      (one, other) => place(one) - place(other) || (one.moduleId < other.moduleId ? -1 : 1),
    )
  }
}
