package format

func (r *reader) question(a place) *Question {
	q := &Question{Line: a.Line, Right: -1}
	var marked int
	r.mapping(a,
		must("text", r.words(&q.Text, MaxWords)),
		must("choices", func(a place) {
			r.list(a, 2, 5, func(a place) { q.Choices = append(q.Choices, r.choice(a, q, &marked)) })
		}),
		must("because", r.words(&q.Because, MaxWords)),
	)
	if len(q.Choices) > 0 && marked != 1 {
		r.fault(a, "%d choices are marked right, and there must be one: write right: true under it", marked)
	}
	return q
}

func (r *reader) choice(a place, q *Question, marked *int) Choice {
	var c Choice
	var right bool
	r.mapping(a,
		must("text", r.text(&c.Text, maxChoice)),
		maybe("right", r.yes(&right)),
		maybe("when", func(a place) { c.When = r.condition(a) }),
	)
	if right {
		q.Right = len(q.Choices)
		*marked++
	}
	return c
}
