import { claimPaths } from './paths/claims.js'
import { testPaths } from './test-paths.js'

testPaths('claims', claimPaths)
