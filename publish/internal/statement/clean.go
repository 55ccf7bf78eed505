package statement

import (
	"regexp"
	"strings"
)

// maxText bounds what is read of one body.
const maxText = 64 << 10

// paragraph is one piece of a description: a sentence, or a fenced block.
type paragraph struct {
	text    string
	code    bool
	heading string // the heading that it stands under, lower-case
}

var (
	comment    = regexp.MustCompile(`(?s)<!--.*?(?:-->|\z)`)
	details    = regexp.MustCompile(`(?is)<details>.*?(?:</details>|\z)`)
	htmlTag    = regexp.MustCompile(`</?[A-Za-z][^<>\n]*>`)
	bot        = regexp.MustCompile(`(?i)dependabot|renovate(?:\[bot\]| bot)|(?m:^bumps? \[)|updated-dependencies:|this (?:pr|pull request) (?:was|is) (?:auto|generated)`)
	trailer    = regexp.MustCompile(`(?i)^\W*(?:[a-z-]+-by|cc|change-id|depends[- ]on|needed[- ]by|required[- ]by|blocked[- ]by|requires|fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|references?|see(?: also)?|links?|issues?|bugs?|related(?: to| issues?| prs?)?|part[- ]of|companion(?: pr)?|follow[- ]?up(?: to)?|follows|jira|ticket|backport of|release[- ]notes?|git-svn-id|topic|x-[a-z-]+)\s*:`)
	closing    = regexp.MustCompile(`(?i)^\W*(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|depends on|needed by|requires|follow[- ]?up (?:to|of)|part of|related to|in)\W*$`)
	checkbox   = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+\[[ xX]\]`)
	cherry     = regexp.MustCompile(`(?i)^\W*cherry[- ]picked from`)
	heading    = regexp.MustCompile(`^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	bullet     = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s+`)
	image      = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link       = regexp.MustCompile(`\[([^\]\n]*)\]\([^)\n]*\)`)
	refLink    = regexp.MustCompile(`\[([^\]\n]+)\]\[[^\]\n]*\]`)
	linkTarget = regexp.MustCompile(`^\s*\[[^\]]+\]:\s`)
	url        = regexp.MustCompile(`<?\bhttps?://[^\s<>)\]]+>?`)
	mention    = regexp.MustCompile(`(^|[\s(])@[A-Za-z0-9][A-Za-z0-9-]*(?:/[A-Za-z0-9._-]+)?`)
	reference  = regexp.MustCompile(`(?i)(?:\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|see|refs?|in|of|from|by|to|after|pull request|issue|pr)\s+)?(?:[A-Za-z0-9][\w.-]*/[\w.-]+|\b[A-Za-z][\w.-]*)?#\d+\b|\bGH-\d+\b|\b(?:PR|pull request|issue)\s*\d+\b`)
	email      = regexp.MustCompile(`<?\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b>?`)
	hexWord    = regexp.MustCompile(`(?i)(?:\b(?:since|in|from|at|of|by|after|to|see|commit|with)\s+){0,3}\b[0-9a-f]{7,64}\b`)
	leadIn     = regexp.MustCompile(`(?i)^(?:in )?(?:this|the|my) (?:pr|pull request|mr|commit|patch|change|changeset)[, ]+(?:will |also |also will |aims to |tries to )?`)
	emptyPair  = regexp.MustCompile(`\((?:\s|[,;&]|\b(?:and|or|see|also|via)\b)*\)|\[\s*\]`)
	blanks     = regexp.MustCompile(`[ \t]+`)
	beforeStop = regexp.MustCompile(` +([.,;:!?)])`)
	twoStops   = regexp.MustCompile(`([.!?]["')]*)(?:\s*\.)+`)
	commaStop  = regexp.MustCompile(`[,;:]\s*\.`)
	typed      = regexp.MustCompile(`(?i)^(?:feat|feature|fix|bugfix|perf|refactor|new|update|breaking)(?:\([^)]{1,40}\))?!?:\s+`)
	convention = regexp.MustCompile(`^(?:\[[^\]]{1,30}\]\s*|[a-z]+(?:\([^)]{1,40}\))?!?:\s+)`)
)

// clean parts a description into sentences and fenced blocks, without trailers,
// references, links, commit ids, addresses, templates and what bots write.
func clean(body string) []paragraph {
	if len(body) > maxText {
		body = body[:maxText]
	}
	body = strings.ToValidUTF8(strings.ReplaceAll(body, "\r\n", "\n"), "\uFFFD")
	if bot.MatchString(body) {
		return nil
	}
	body = details.ReplaceAllString(comment.ReplaceAllString(body, ""), "")
	c := &cleaner{}
	for line := range strings.SplitSeq(body, "\n") {
		c.line(line)
	}
	c.flush()
	c.endFence()
	return c.out
}

// cleaner joins wrapped lines and parts them into sentences.
type cleaner struct {
	out     []paragraph
	heading string
	open    []string // lines of the paragraph at hand
	fence   string   // the mark that ends the block at hand, "" outside
	block   []string
}

func (c *cleaner) line(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case c.fence != "" && strings.HasPrefix(trimmed, c.fence):
		c.endFence()
	case c.fence != "":
		c.block = append(c.block, line)
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		c.flush()
		c.fence = trimmed[:3]
	case heading.MatchString(line):
		c.flush()
		c.heading = strings.ToLower(heading.FindStringSubmatch(line)[1])
	case trimmed == "", strings.Trim(trimmed, "-=_*") == "":
		c.flush()
	case trailer.MatchString(trimmed), checkbox.MatchString(line), cherry.MatchString(trimmed), linkTarget.MatchString(line), strings.HasPrefix(trimmed, "|"):
		c.flush()
	case bullet.MatchString(line):
		c.flush()
		c.open = append(c.open, bullet.ReplaceAllString(line, ""))
	default:
		c.open = append(c.open, trimmed)
	}
}

func (c *cleaner) flush() {
	text := strings.Join(c.open, " ")
	c.open = nil
	for _, s := range sentences(strip(text)) {
		if words(s) >= 3 && !closing.MatchString(s) {
			c.out = append(c.out, paragraph{text: s, heading: c.heading})
		}
	}
}

func (c *cleaner) endFence() {
	if text := strings.Trim(strings.Join(c.block, "\n"), "\n"); text != "" {
		c.out = append(c.out, paragraph{text: text, code: true, heading: c.heading})
	}
	c.block, c.fence = nil, ""
}

// strip takes out of a line of prose what points elsewhere.
func strip(s string) string {
	s = image.ReplaceAllString(s, "")
	s = link.ReplaceAllString(s, "$1")
	s = refLink.ReplaceAllString(s, "$1")
	for _, re := range []*regexp.Regexp{url, email, reference, htmlTag} {
		s = re.ReplaceAllString(s, "")
	}
	s = mention.ReplaceAllString(s, "$1")
	s = hexWord.ReplaceAllStringFunc(s, func(w string) string {
		if isCommitID(strings.ToLower(w[strings.LastIndexAny(w, " \t\n")+1:])) {
			return ""
		}
		return w
	})
	s = emptyPair.ReplaceAllString(s, "")
	s = beforeStop.ReplaceAllString(blanks.ReplaceAllString(s, " "), "$1")
	s = twoStops.ReplaceAllString(commaStop.ReplaceAllString(s, "."), "$1")
	return strings.TrimSpace(s)
}

// isCommitID tells an abbreviated commit id from a number and from a word.
func isCommitID(w string) bool {
	return strings.ContainsAny(w, "0123456789") && strings.ContainsAny(w, "abcdef")
}

// title returns a change's title as a sentence, without "fix(ice): " before it
// and references behind.
func title(s string) string {
	s = strings.TrimSpace(strip(s))
	for range 2 {
		s = strings.TrimSpace(convention.ReplaceAllString(s, ""))
	}
	return capital(s)
}

func capital(s string) string {
	s = strings.TrimSpace(leadIn.ReplaceAllString(typed.ReplaceAllString(s, ""), ""))
	if s == "" || s[0] < 'a' || s[0] > 'z' || shaped(strings.Fields(s)[0]) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sentences parts prose at full stops that a capital follows.
func sentences(s string) []string {
	var all []string
	for start := 0; start < len(s); {
		end := sentenceEnd(s, start)
		if one := capital(strings.TrimSpace(s[start:end])); one != "" {
			all = append(all, one)
		}
		start = end
	}
	return all
}

func sentenceEnd(s string, start int) int {
	for i := start; i+2 < len(s); i++ {
		stop := s[i] == '.' || s[i] == '!' || s[i] == '?'
		if stop && s[i+1] == ' ' && (s[i+2] >= 'A' && s[i+2] <= 'Z' || s[i+2] == '`') && !strings.HasSuffix(s[start:i], "e.g") && !strings.HasSuffix(s[start:i], "i.e") {
			return i + 1
		}
	}
	return len(s)
}

func words(s string) int { return len(strings.Fields(s)) }
