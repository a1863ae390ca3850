package world

import "testing"

// TestStory checks the burst that a scene gets.
func TestStory(t *testing.T) {
	for _, tc := range []struct {
		spawn, life, bursts int
		step                uint32
	}{
		{DefaultSpawn, DefaultLife, 8, 480},
		{0, MinLife, 10, 165},
		{1, 100, 10, 300},
		{100, 100, 9, 300},
		{100, 900, 1, 1500},
		{99, 1000, 1, 1650},
		{100, 1000, 0, 1650},
		{MaxSpawn, MaxLife, 0, 1650},
	} {
		s := Scene{Seed: 5, Spawn: tc.spawn, Life: tc.life, Events: []Event{{1, OpKill, 0}}}
		story := s.Story()
		if err := story.Check(); err != nil {
			t.Error(err)
		}
		if len(story.Events) != tc.bursts || story.Seed != 5 || story.Spawn != tc.spawn || story.Life != tc.life {
			t.Errorf("the story of %+v is %+v, want %d bursts", s, story, tc.bursts)
		}
		for _, e := range story.Events {
			if (e != Event{Step: tc.step, Op: OpBurst}) {
				t.Errorf("the story of %+v has %+v, want a burst at step %d", s, e, tc.step)
			}
		}
		if len(s.Events) != 1 {
			t.Errorf("the scene itself has become %+v", s)
		}
	}
}

// TestStoryOfTheUsualWorld pins the first world of a visitor: it is steady before the burst, and
// has 100 000 things in it.
func TestStoryOfTheUsualWorld(t *testing.T) {
	w := New(Scene{Seed: 1, Spawn: DefaultSpawn, Life: DefaultLife}.Story(), []Kind{Pool})
	live := map[uint32]int{}
	for range 482 {
		w.Step()
		live[w.StepNumber()] = w.Figures(Pool).Live
	}
	if calm, before, top := live[360], live[480], live[481]; before < calm*95/100 || before > calm*105/100 || top < 100_000 || top > 110_000 {
		t.Errorf("of 360, 480 and 481 steps, %d, %d and %d things live", calm, before, top)
	}
	if got, want := w.Sum(Pool), uint64(0x5a890b8ff72d567d); got != want {
		t.Errorf("after %d steps the sum is %#x, want %#x", w.StepNumber(), got, want)
	}
}
