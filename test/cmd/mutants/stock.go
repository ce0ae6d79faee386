package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// stock holds the possible mutants of each package, in an order that depends only on the seed and
// the sources.
type stock struct {
	packages []*pkg
	left     map[*pkg][]mutant
}

func newStock(packages []*pkg, seed uint64) *stock {
	s := &stock{packages: packages, left: map[*pkg][]mutant{}}
	for _, p := range packages {
		var all []mutant
		for _, src := range p.sources {
			if !ast.IsGenerated(src.tree) {
				all = append(all, mutantsOf(p, src)...)
			}
		}
		name := fnv.New64a()
		_, _ = name.Write([]byte(p.path))
		random := rand.New(rand.NewPCG(seed, name.Sum64())) // a package's mutants do not depend on other packages
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		s.left[p] = all
	}
	return s
}

// take returns n mutants, spread over the packages by their statements.
func (s *stock) take(n int) []mutant {
	var taken []mutant
	for i, share := range s.shares(n) {
		for range share {
			if m, ok := s.next(s.packages[i]); ok {
				taken = append(taken, m)
			}
		}
	}
	return taken
}

// next returns a package's next mutant that compiles, or false if all were used.
func (s *stock) next(p *pkg) (mutant, bool) {
	for len(s.left[p]) > 0 {
		m := s.left[p][0]
		s.left[p] = s.left[p][1:]
		tree, err := parser.ParseFile(p.fset, m.source.path, m.text(), parser.SkipObjectResolution)
		if err == nil && p.check(nil, m.source, tree) == nil {
			return m, true
		}
	}
	return mutant{}, false
}

// shares divides n by statements. The remainder of the rounding goes to the shares that it cut
// most.
func (s *stock) shares(n int) []int {
	all, sizes := 0, make([]int, len(s.packages))
	for i, p := range s.packages {
		sizes[i] = p.statements()
		all += sizes[i]
	}
	shares, order, given := make([]int, len(sizes)), make([]int, len(sizes)), 0
	for i, size := range sizes {
		shares[i], order[i] = n*size/max(all, 1), i
		given += shares[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n*sizes[b]%all, n*sizes[a]%all) })
	for _, i := range order[:min(max(n-given, 0), len(order))] {
		shares[i]++
	}
	return shares
}
