# A heated house under an outside temperature that was measured every three hours (outside-temperature.csv).
# The table is interpolated linearly and its corners are met exactly.
param C = 2e7 [J/K], R = 0.005 [K/W]      # heat capacity, insulation
param P = 3500 [W]                        # heater
input T_out from "outside-temperature.csv" [K]

C*T' = P - (T - T_out)/R

init T = 293 [K]
run 0 .. 86400
