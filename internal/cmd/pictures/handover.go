package main

import (
	"fmt"
	"strings"
	"time"
)

// Where the lanes of the time line are, in pixels.
const (
	laneLeft   = 190
	laneRight  = 940
	laneHeight = 34
	stepsTop   = 66
	kcmTop     = 128
	ccmTop     = 190
	axisTop    = 254
)

// handOver is who ran the service controller in the run that README.md shows.
func handOver(run shownRun) []byte {
	c := newPicture(960, 376, "Who ran the service controller during one run on the lab", handOverInWords(run))
	c.Text(20, 32, "bold", "Who ran the service controller during one run on the lab")
	c.Text(940, 32, "small dim end", run.from.Format("2 January 2006, ")+"times in UTC")
	across := func(t time.Time) float64 {
		return laneLeft + float64(t.Sub(run.from))/float64(run.until.Sub(run.from))*(laneRight-laneLeft)
	}
	c.stepBand(run, across)
	c.Text(20, kcmTop+21, "small bold kcm", "kube-controller-manager")
	c.Text(20, ccmTop+14, "small bold ccm", "aws-cloud-controller-")
	c.Text(20, ccmTop+29, "small bold ccm", "manager")
	for _, gap := range run.gaps {
		x, end := across(gap.begin), across(gap.end)
		c.Bar(x, kcmTop-8, end-x, ccmTop+laneHeight-kcmTop+16, "gap")
		c.Text(int((x+end)/2), kcmTop+50, "small bold middle bad", gap.seconds)
	}
	for _, r := range run.runs {
		c.leader(r, across(r.begin), across(r.end))
	}
	c.minutes(run, across)
	c.Lines(20, 304, 18, "small dim",
		"Red: nobody ran it. Each process had ended before the next began: never two at once.",
		"“migration lease”: the process held that lease when a step of the run ended.",
		"From the transcript in README.md: processes and gaps as the lab's observer reports them; steps by the time each took,",
		"laid end to end from the beginning of the run.")
	return c.SVG()
}

// stepBand are the steps that are long enough to be seen.
func (c picture) stepBand(run shownRun, across func(time.Time) float64) {
	c.Text(20, stepsTop+21, "small bold", "steps of the run")
	for _, step := range run.steps {
		x, end := across(run.from.Add(step.begin)), across(run.from.Add(step.begin+step.took))
		if step.took < 10*time.Second {
			continue
		}
		c.Bar(x, stepsTop, end-x-1.5, laneHeight, "other")
		c.stepName(int((x+end)/2), int(end-x), step.id)
	}
}

// stepName is as large as its step has room for; at last it breaks at a hyphen.
func (c picture) stepName(x, width int, id string) {
	const small, tiny = 7, 6 // of a letter, in pixels
	switch first, rest, _ := strings.Cut(id, "-"); {
	case len(id)*small < width:
		c.Text(x, stepsTop+21, "small middle", id)
	case len(id)*tiny < width:
		c.Text(x, stepsTop+21, "tiny middle", id)
	default:
		c.Lines(x, stepsTop+15, 11, "tiny middle", first+"-", rest)
	}
}

func (c picture) leader(r leaderRun, x, end float64) {
	top, class := float64(kcmTop), "kcm"
	if r.component == "aws-cloud-controller-manager" {
		top, class = ccmTop, "ccm"
	}
	c.Bar(x, top, end-x, laneHeight, class)
	if r.migration {
		c.Text(int((x+end)/2), int(top)+21, "tiny middle light", "migration lease")
	}
}

// minutes are marked along the axis.
func (c picture) minutes(run shownRun, across func(time.Time) float64) {
	c.Line(laneLeft, axisTop, laneRight, axisTop, "axis")
	for t := run.from.Truncate(time.Minute).Add(time.Minute); t.Before(run.until); t = t.Add(time.Minute) {
		x := across(t)
		c.Line(x, axisTop-4, x, axisTop+4, "axis")
		c.Text(int(x), axisTop+20, "small dim middle", t.Format("15:04"))
	}
}

func handOverInWords(run shownRun) string {
	words := ""
	for i, r := range run.runs {
		words += fmt.Sprintf("%s to %s: %s. ", r.begin.Format("15:04:05"), r.end.Format("15:04:05"), r.component)
		if i < len(run.gaps) {
			words += fmt.Sprintf("Then nobody for %s. ", run.gaps[i].seconds)
		}
	}
	return words + "Never two at once."
}
