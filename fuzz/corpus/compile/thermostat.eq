# A room with a two-point thermostat: heating goes on below T_low and off above T_high.
# A state event switches a state that is constant in between; the band between the two is the hysteresis.
param C = 5e5 [J/K], R = 0.01 [K/W]       # heat capacity, insulation
param P = 3000 [W]                        # heater
param T_out = 275 [K], T_low = 293 [K], T_high = 295 [K]

C*T' = P*on - (T - T_out)/R
on'  = 0

when T < T_low:  on = 1
when T > T_high: on = 0

init T = 288 [K], on = 1
run 0 .. 20000
