package main

import (
	"fmt"
	"slices"
)

// Sample is what the process held at one moment.
type Sample struct {
	Seconds  float64 `json:"seconds"`
	RSS      float64 `json:"rss_mb"`
	Threads  float64 `json:"threads"`
	FDs      float64 `json:"fds"`
	Children float64 `json:"children"`
}

// Drift is how one figure changed between the early and the late part of a run.
type Drift struct {
	What        string
	Early, Late float64
	Allowed     float64 // growth that means nothing
}

// Grown reports whether the growth is more than is allowed.
func (d Drift) Grown() bool { return d.Late-d.Early > d.Allowed }

func (d Drift) String() string {
	result := "flat"
	if d.Grown() {
		result = "GROWN"
	}
	return fmt.Sprintf("%-10s early %8.1f  late %8.1f  allowed +%.1f  %s", d.What, d.Early, d.Late, d.Allowed, result)
}

// compare sets the last third of a run against the third before it; the first third is for warming up.
//
// Of each part the lower quartile counts: what is held in between sessions, of which every round has some. A leak lifts
// it, a round's own peaks do not. The margins: memory a tenth and 3 MB (the collector's heap breathes), threads 3 (the
// runtime never gives one back, and may need one more at any time), descriptors and descendants 2.
func compare(samples []Sample) ([]Drift, error) {
	if len(samples) < 9 {
		return nil, fmt.Errorf("%d samples are too few to tell", len(samples))
	}
	third := len(samples) / 3
	early, late := samples[third:2*third], samples[len(samples)-third:]
	var drifts []Drift
	for _, f := range []struct {
		what         string
		of           func(Sample) float64
		share, fixed float64
	}{
		{"memory MB", func(s Sample) float64 { return s.RSS }, 0.1, 3},
		{"threads", func(s Sample) float64 { return s.Threads }, 0, 3},
		{"FDs", func(s Sample) float64 { return s.FDs }, 0, 2},
		{"children", func(s Sample) float64 { return s.Children }, 0, 2},
	} {
		d := Drift{What: f.what, Early: low(early, f.of), Late: low(late, f.of)}
		d.Allowed = d.Early*f.share + f.fixed
		drifts = append(drifts, d)
	}
	return drifts, nil
}

// low is the lower quartile.
func low(samples []Sample, of func(Sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/4]
}
