# A bridge rectifier with a smoothing capacitor: four diodes by Shockley's equation, Kirchhoff's laws as they are read off the circuit.
# While all diodes block, nothing but their leakage holds the potentials a and b of the source: a + b = p, as everywhere.
param Is = 1e-12 [A], Vt = 0.02585 [V]              # diodes
param Rs = 1 [ohm], R = 1000 [ohm], C = 1e-4 [F]    # source, load, capacitor
input u = 10*sin(2*pi*50*t) [V]

def diode(v) = Is*(exp(v/Vt) - 1)
d1 = diode(a - p)
d2 = diode(b - p)
d3 = diode(0 - a)
d4 = diode(0 - b)

i = (u - (a - b))/Rs        # the source, between a and b
i = d1 - d3
i = d4 - d2
C*p' = d1 + d2 - p/R

init p = 0 [V]
output middle = a + b - p   # zero
run 0 .. 0.1
