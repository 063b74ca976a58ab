# A clock that knows nothing about the robot. Whatever your judge says, it must say more than this.
assay audit pi0=runs/pi0 act=runs/act --judge ramp --out report-ramp
