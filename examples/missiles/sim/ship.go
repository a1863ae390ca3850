package sim

// Input is the player's input for a frame. Step corrects invalid values.
type Input struct {
	Move    Vec  // direction; length 1 is full speed
	Aim     Vec  // direction of the gun, of any length; zero keeps the last one
	Fire    bool // the gun
	Salvo   bool // all missiles at once, if they are charged
	Restart bool
}

func (in Input) clean() Input {
	if !in.Move.finite() {
		in.Move = Vec{}
	}
	if in.Move.length() > 1 {
		in.Move = in.Move.unit()
	}
	if !in.Aim.finite() {
		in.Aim = Vec{}
	}
	return in
}

// Ship is the player's ship.
type Ship struct {
	Pos, Vel Vec
	Aim      Vec // direction of the gun, of length 1
	Health   int32
	Level    int32
	Gems     int32 // since the last level
	Charge   int32 // of the salvo
	Hurt     int32 // frames for which it takes no damage
	Risen    int32 // frames since it reached its level
	Dead     int32 // frames since its death; 0 while it lives
	gun      int32 // frames until it fires again
	tube     int32 // frames until the next missiles leave
	twist    int32 // of the arms of fire
}

// Limits of the ship.
const (
	MaxHealth  = 100 // of the ship
	MaxLevel   = 30  // of the ship
	FullCharge = 600 // of the salvo

	shipRadius = 9
	shipSpeed  = 4.2
	salvo      = 48
)

func newShip(level int32) Ship {
	return Ship{
		Aim: Vec{1, 0}, Health: MaxHealth, Level: min(level, MaxLevel),
		Charge: FullCharge, Risen: 1 << 20,
	}
}

// Need returns the number of gems for the next level.
func (s *Ship) Need() int32 { return 12 + 6*s.Level + s.Level*s.Level }

// Equipment of the ship at its level.
func (s *Ship) power() int32 { return 1 + s.Level/8 } // enemies for a bullet

func (s *Ship) fan() int32 { return min(1+s.Level/2, 7) } // bullets to the front

func (s *Ship) arms() int32 { return min(max(0, s.Level-6), 24) } // bullets all around

func (s *Ship) gunRest() int32 { return max(2, 9-s.Level/4) } // frames between them

func (s *Ship) tubes() int32 { return 2 + s.Level/3 } // missiles

func (s *Ship) tubeRest() int32 { return max(5, 40-2*s.Level) } // frames between them

func (s *Ship) magnet() float32 { return float32(80 + 2*s.Level) } // reach for gems
