package report

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// shades is how many colours processes of one program have in turn.
const shades = 4

// timelineStyle are the colours of processes, k of kube-controller-manager, c of the CCM,
// o of others, and of marks. What is only possible is lighter, and hatched.
const timelineStyle = `.lane{fill:#f3f5f7}.grid{stroke:#59636e;stroke-opacity:.22}.cut{fill:#ffffff;fill-opacity:.8;stroke:#b6c0ca;stroke-dasharray:3 3}
.k0{fill:#0b6bcb}.k1{fill:#34509a}.k2{fill:#0b7a86}.k3{fill:#5a55c9}.c0{fill:#b35900}.c1{fill:#7d5a00}.c2{fill:#93461c}.c3{fill:#8a5a2b}.o0,.o1,.o2,.o3{fill:#6e7781}.many{fill:#59636e}
.maybe{fill-opacity:.35}.twice.maybe{fill-opacity:.7}.hatch{fill:url(#hatch)}.hatching{stroke:#ffffff;stroke-opacity:.75;stroke-width:2}
.twice{fill:#b42318}.frozen{fill:#d9a400;fill-opacity:.55}.unknown{fill:url(#fog);pointer-events:none}.fog{stroke:#59636e;stroke-opacity:.45;stroke-width:1.5}
.lost{fill:#59636e}.late{fill:#b6c0ca}.span{fill:#dfe5eb}.step{fill:#1a7f37}.stopped{fill:#b42318}.cordoned{fill:#8250df}.unready{fill:#b42318}.silent{fill:#59636e;fill-opacity:.6}
.ended{fill-opacity:.6}.line.grid{stroke-width:1}
@media (prefers-color-scheme:dark){
.lane{fill:#161b22}.grid{stroke:#9da7b1}.cut{fill:#0d1117;stroke:#4b535d}
.k0{fill:#58a6ff}.k1{fill:#8fb4ff}.k2{fill:#4fc3d0}.k3{fill:#a9a5ff}.c0{fill:#f0a04b}.c1{fill:#d9b44a}.c2{fill:#e88f66}.c3{fill:#d0a97c}.o0,.o1,.o2,.o3{fill:#9da7b1}.many{fill:#9da7b1}
.hatching{stroke:#0d1117}.twice{fill:#ff6b5f}.frozen{fill:#e3b341}.fog{stroke:#9da7b1}
.lost{fill:#9da7b1}.late{fill:#4b535d}.span{fill:#30363d}.step{fill:#56d364}.stopped{fill:#ff8a80}.cordoned{fill:#c297ff}.unready{fill:#ff6b5f}.silent{fill:#9da7b1}}
`

const hatching = `<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M3 0V6" class="hatching"/></pattern>` +
	`<pattern id="fog" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><path d="M3.5 0V7" class="fog"/></pattern></defs>`

// colour is a process's, the same on every lane.
func (t *timeline) colour(p judge.Process) string {
	if known := t.colours[p.Identity]; known != "" {
		return known
	}
	family := "o"
	switch p.Program {
	case wellknown.KCM:
		family = "k"
	case wellknown.CCM:
		family = "c"
	}
	class := fmt.Sprintf("%s%d", family, t.taken[family]%shades)
	t.taken[family]++
	t.colours[p.Identity] = class
	t.order = append(t.order, p)
	return class
}

// legend says what the colours and marks mean, as far as they are drawn.
func (t *timeline) legend() {
	const most = 8
	x, y := 16.0, t.y+18
	put := func(text string, draw func(x, y float64)) {
		width := 26 + float64(len([]rune(text)))*letter + 14
		if x+width > pageWidth-10 {
			x, y = 16, y+20
		}
		draw(x, y-10)
		t.Text(int(x)+24, int(y), "small dim", text)
		x += width
	}
	swatch := func(class string, maybe bool) func(x, y float64) {
		return func(x, y float64) { t.part(part{x, x + 18, class, maybe}, y, 12) }
	}
	for _, p := range t.order[:min(len(t.order), most)] {
		put(who(p), swatch(t.colours[p.Identity], false))
	}
	if more := len(t.order) - most; more > 0 {
		put(fmt.Sprintf("and %d more", more), swatch(crowded, false))
	}
	x, y = 16, y+20
	put("possibly", swatch("k0", true))
	for _, one := range t.marked() {
		put(one.text, swatch(one.class, one.maybe))
	}
	if slices.ContainsFunc(t.r.World.Restarts, func(c judge.Restart) bool { return !c.Ended }) {
		put("container began", func(x, y float64) { t.Raw(`<path d="M%.1f %.1fl8 5l-8 5Z" class="kcm"/>`, x+5, y+1) })
	}
	if slices.ContainsFunc(t.r.World.Restarts, func(c judge.Restart) bool { return c.Ended }) {
		put("container ended", func(x, y float64) { t.Bar(x+8, y, 3, 12, "kcm ended") })
	}
	t.y = y
}

type meaning struct {
	class string
	maybe bool
	text  string
}

// marked are the marks that are drawn.
func (t *timeline) marked() []meaning {
	var all []meaning
	if slices.ContainsFunc(t.r.Lanes, func(l judge.Lane) bool { return len(l.Gaps) > 0 }) {
		all = append(all, meaning{"gap", false, "nobody, at least to at most"})
	}
	if len(overlapsOf(t.r, judge.Seen)) > 0 {
		all = append(all, meaning{"twice", false, "two at once, seen"})
	}
	frozen, possible := false, false
	for _, o := range overlapsOf(t.r, judge.Possible) {
		frozen, possible = frozen || o.OnlyIfFrozen, possible || !o.OnlyIfFrozen
	}
	if possible {
		all = append(all, meaning{"twice", true, "two at once, possible"})
	}
	if frozen {
		all = append(all, meaning{"frozen", false, "possible if one was frozen"})
	}
	if len(t.r.Blind()) > 0 {
		all = append(all, meaning{"unknown", false, "not known"})
	}
	for _, what := range []judge.Condition{judge.Cordoned, judge.NotReady, judge.Silent} {
		if slices.ContainsFunc(t.r.World.Stretches, func(s judge.NodeStretch) bool { return s.What == what }) {
			all = append(all, meaning{stretchClass(what), false, string(what)})
		}
	}
	return all
}
