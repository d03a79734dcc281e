import { settlements } from './paths/settlements.js'
import { testPaths } from './test-paths.js'

testPaths('settlements', settlements)
