import { splitPaths } from './paths/splits.js'
import { testPaths } from './test-paths.js'

testPaths('splits', splitPaths)
