import { levyPaths } from './paths/levies.js'
import { testPaths } from './test-paths.js'

testPaths('levies', levyPaths)
