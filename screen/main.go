// Screen is the stage in which people decide which candidates are joint
// changes, and approve the problem statements of those that were verified.
package main

import (
	"context"
	"flag"
	"os"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/store"
)

const manual = `screen: people decide which candidates are joint changes.

usage: screen [flags] COMMAND [arguments]
       screen [flags] -serve -as NAME [-listen ADDRESS]

  list [-all] [-reviewer NAME]   the queue, highest score first; -all with what is decided;
                                 -reviewer only what waits for this person
  show ID [-reviewer NAME]       both sides of a candidate, its links, cues and score
  decide ID keep|drop|unsure -reviewer NAME -reason CODE [-intent I] [-domain D] [-notes TEXT]
                                 judge a candidate; an adjudicator's judgement settles a disagreement
  stats                          how far the reviewers agree
  import FILE                    reviews and decisions, JSON lines; all of them or none; - is standard input
  export [FILE]                  all reviews and decisions as JSON lines; default is standard output
  statement ID                   the problem statement of a candidate, with what the lint found
  edit ID FILE [-interface A,B]  replace the statement's text; publish reads it again before it can be approved
  approve ID -reviewer NAME      approve the statement

-serve runs a web server until it is stopped: how far each stage is, the job
queue at /jobs/, and, without sign-in, /healthz and /metrics. It prints a link
that signs NAME in, once, and listens on this machine only: from elsewhere,
forward the port with ssh. With screen.sign_in: header a proxy signs people in
instead. Sessions last 12 hours and end with the process, unless
CROSSSWE_SESSION_KEY holds the key that signs them, 32 bytes or more.

Reviewers are blind to one another until a candidate is decided. How many judge
each, and who settles their disagreements, is in the section screen of the
configuration.`

// sessionKeyVariable is the environment variable with the key that signs sessions.
const sessionKeyVariable = "CROSSSWE_SESSION_KEY"

func main() {
	var as string
	opt := cli.Options{
		Name: store.StageScreen, Commands: true, Manual: manual, Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		Serves: true, Listen: "127.0.0.1:8080",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&as, "as", "", "`name` of the reviewer whom the link of -serve signs in")
		},
	}
	os.Exit(cli.Main(opt, func(ctx context.Context, s *cli.Stage) error {
		return run(ctx, &session{
			Stage: s, now: time.Now, stdin: os.Stdin, stderr: os.Stderr, as: as, key: os.Getenv(sessionKeyVariable),
		})
	}))
}
