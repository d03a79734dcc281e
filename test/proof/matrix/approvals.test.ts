import { approvals } from './paths/approvals.js'
import { testPaths } from './test-paths.js'

testPaths('approvals', approvals)
