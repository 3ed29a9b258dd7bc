// Package layers holds the test of the import matrix: who may import whom.
package layers
