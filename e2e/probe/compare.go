package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func compareFiles(simFile, realFile, manual, harness string) error {
	sim, err := readReport(simFile)
	if err != nil {
		return err
	}
	product, err := readReport(realFile)
	if err != nil {
		return err
	}
	table, err := readTable(manual, harness)
	if err != nil {
		return err
	}
	found := differences(sim, product)
	wrong := against(table, found)
	for _, line := range wrong {
		fmt.Println(line)
	}
	fmt.Printf("%d answers compared, %d alike, %d differ, %d of those as the manual says\n", len(product), len(product)-len(found), len(found), known(table, found))
	if len(wrong) > 0 {
		return fmt.Errorf("%d differences between simulator and product are not as the table of %s says", len(wrong), manual)
	}
	return nil
}

func readReport(file string) (report, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return r, nil
}

// differences says for each name in what the simulator's answer is another one than the product's.
func differences(sim, product report) map[string]string {
	found := map[string]string{}
	for name, p := range product {
		s, asked := sim[name]
		if !asked {
			found[name] = "only the product"
			continue
		}
		if text := difference(s, p); text != "" {
			found[name] = text
		}
	}
	for name := range sim {
		if _, asked := product[name]; !asked {
			found[name] = "only the simulator"
		}
	}
	return found
}

func difference(sim, product answer) string {
	var parts []string
	pair := func(what string, s, p any) {
		if s != p {
			parts = append(parts, fmt.Sprintf("%s: simulator %v, product %v", what, s, p))
		}
	}
	pair("status", sim.Status, product.Status)
	pair("type", sim.Type, product.Type)
	pair("fact", sim.Fact, product.Fact)
	if len(parts) > 0 {
		return strings.Join(parts, "; ") // the shape of another answer says nothing
	}
	if lacks := without(product.Shape, sim.Shape); lacks != "" {
		parts = append(parts, "simulator lacks "+lacks)
	}
	if more := without(sim.Shape, product.Shape); more != "" {
		parts = append(parts, "only simulator has "+more)
	}
	for _, path := range product.Shape.parts() {
		if s, ok := sim.Shape[path]; ok && !alike(s, product.Shape[path]) {
			pair(path, s, product.Shape[path])
		}
	}
	return strings.Join(parts, "; ")
}

// without lists the paths of a that b lacks. What lies in a field that is lacking, or null or empty in b, is not listed.
func without(a, b shape) string {
	var lacks []string
	for _, path := range a.parts() {
		if _, ok := b[path]; ok {
			continue
		}
		parent := path[:max(0, strings.LastIndexAny(path, ".["))]
		if _, there := b[parent]; path != "" && !there || strings.HasSuffix(path, "[]") || b[parent] == "null" {
			continue
		}
		lacks = append(lacks, path)
	}
	return strings.Join(lacks, " ")
}

const tableBegin, tableEnd = "<!-- differences -->\n", "<!-- /differences -->"

// readTable returns the manual's table as far as it is about one agent: what differs by the name of the request.
func readTable(manual, harness string) (map[string]string, error) {
	text, err := os.ReadFile(manual)
	if err != nil {
		return nil, err
	}
	_, rest, ok := strings.Cut(string(text), tableBegin)
	body, _, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s has no table between %q and %q", manual, strings.TrimSpace(tableBegin), tableEnd)
	}
	table := map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(body), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if i < 2 {
			continue // the head
		}
		if len(cells) != 3 {
			return nil, fmt.Errorf("%s: row %d of the table has %d cells, want request, difference, reason: %s", manual, i-1, len(cells), line)
		}
		agent, name, ok := strings.Cut(cells[0], ": ")
		if !ok || agent != "claude" && agent != "codex" {
			agent, name = harness, cells[0]
		}
		if agent == harness {
			table[name] = strings.Trim(cells[1], "`")
		}
	}
	return table, nil
}

// against lists what is wrong with a table: differences that it lacks or describes otherwise, and rows that hold no longer.
func against(table, found map[string]string) []string {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if row, ok := table[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("not in the table: | %s | `%s` |", name, found[name]))
		} else if row != found[name] {
			wrong = append(wrong, fmt.Sprintf("the table has another difference: | %s | `%s` |, it says `%s`", name, found[name], row))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if _, ok := found[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("differs no longer, take the row out: | %s | `%s` |", name, table[name]))
		}
	}
	return wrong
}

func known(table, found map[string]string) int {
	n := 0
	for name, text := range found {
		if table[name] == text {
			n++
		}
	}
	return n
}
