import { returns } from './paths/returns.js'
import { testPaths } from './test-paths.js'

testPaths('returns', returns)
