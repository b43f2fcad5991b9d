# Sun, Jupiter, Saturn, Uranus, Neptune and Pluto for 548 years; lengths in AU, times in days, masses in suns.
# Hairer, Lubich, Wanner, Geometric Numerical Integration, sec. I.2.4.
param G = 2.95912208286e-4
param m_sun = 1.00000597682                # with the inner planets
param m_jup = 0.000954786104043,  m_sat = 0.000285583733151
param m_ura = 0.0000437273164546, m_nep = 0.0000517759138449, m_plu = 1/1.3e8

# 1/distance^3 of each pair
def inv3(x, y, z) = (x^2 + y^2 + z^2)^(-1.5)
sun_jup = inv3(sun[1] - jup[1], sun[2] - jup[2], sun[3] - jup[3])
sun_sat = inv3(sun[1] - sat[1], sun[2] - sat[2], sun[3] - sat[3])
sun_ura = inv3(sun[1] - ura[1], sun[2] - ura[2], sun[3] - ura[3])
sun_nep = inv3(sun[1] - nep[1], sun[2] - nep[2], sun[3] - nep[3])
sun_plu = inv3(sun[1] - plu[1], sun[2] - plu[2], sun[3] - plu[3])
jup_sat = inv3(jup[1] - sat[1], jup[2] - sat[2], jup[3] - sat[3])
jup_ura = inv3(jup[1] - ura[1], jup[2] - ura[2], jup[3] - ura[3])
jup_nep = inv3(jup[1] - nep[1], jup[2] - nep[2], jup[3] - nep[3])
jup_plu = inv3(jup[1] - plu[1], jup[2] - plu[2], jup[3] - plu[3])
sat_ura = inv3(sat[1] - ura[1], sat[2] - ura[2], sat[3] - ura[3])
sat_nep = inv3(sat[1] - nep[1], sat[2] - nep[2], sat[3] - nep[3])
sat_plu = inv3(sat[1] - plu[1], sat[2] - plu[2], sat[3] - plu[3])
ura_nep = inv3(ura[1] - nep[1], ura[2] - nep[2], ura[3] - nep[3])
ura_plu = inv3(ura[1] - plu[1], ura[2] - plu[2], ura[3] - plu[3])
nep_plu = inv3(nep[1] - plu[1], nep[2] - plu[2], nep[3] - plu[3])

for k in 1..3:
    sun[k]'' = G*(m_jup*sun_jup*(jup[k] - sun[k]) + m_sat*sun_sat*(sat[k] - sun[k]) + m_ura*sun_ura*(ura[k] - sun[k])
                + m_nep*sun_nep*(nep[k] - sun[k]) + m_plu*sun_plu*(plu[k] - sun[k]))
    jup[k]'' = G*(m_sun*sun_jup*(sun[k] - jup[k]) + m_sat*jup_sat*(sat[k] - jup[k]) + m_ura*jup_ura*(ura[k] - jup[k])
                + m_nep*jup_nep*(nep[k] - jup[k]) + m_plu*jup_plu*(plu[k] - jup[k]))
    sat[k]'' = G*(m_sun*sun_sat*(sun[k] - sat[k]) + m_jup*jup_sat*(jup[k] - sat[k]) + m_ura*sat_ura*(ura[k] - sat[k])
                + m_nep*sat_nep*(nep[k] - sat[k]) + m_plu*sat_plu*(plu[k] - sat[k]))
    ura[k]'' = G*(m_sun*sun_ura*(sun[k] - ura[k]) + m_jup*jup_ura*(jup[k] - ura[k]) + m_sat*sat_ura*(sat[k] - ura[k])
                + m_nep*ura_nep*(nep[k] - ura[k]) + m_plu*ura_plu*(plu[k] - ura[k]))
    nep[k]'' = G*(m_sun*sun_nep*(sun[k] - nep[k]) + m_jup*jup_nep*(jup[k] - nep[k]) + m_sat*sat_nep*(sat[k] - nep[k])
                + m_ura*ura_nep*(ura[k] - nep[k]) + m_plu*nep_plu*(plu[k] - nep[k]))
    plu[k]'' = G*(m_sun*sun_plu*(sun[k] - plu[k]) + m_jup*jup_plu*(jup[k] - plu[k]) + m_sat*sat_plu*(sat[k] - plu[k])
                + m_ura*ura_plu*(ura[k] - plu[k]) + m_nep*nep_plu*(nep[k] - plu[k]))

init sun[1] = 0, sun[2] = 0, sun[3] = 0
init sun[1]' = 0, sun[2]' = 0, sun[3]' = 0
init jup[1] = -3.5023653, jup[2] = -3.8169847, jup[3] = -1.5507963
init jup[1]' = 0.00565429, jup[2]' = -0.00412490, jup[3]' = -0.00190589
init sat[1] = 9.0755314, sat[2] = -3.0458353, sat[3] = -1.6483708
init sat[1]' = 0.00168318, sat[2]' = 0.00483525, sat[3]' = 0.00192462
init ura[1] = 8.3101420, ura[2] = -16.2901086, ura[3] = -7.2521278
init ura[1]' = 0.00354178, ura[2]' = 0.00137102, ura[3]' = 0.00055029
init nep[1] = 11.4707666, nep[2] = -25.7294829, nep[3] = -10.8169456
init nep[1]' = 0.00288930, nep[2]' = 0.00114527, nep[3]' = 0.00039677
init plu[1] = -15.5387357, plu[2] = -25.2225594, plu[3] = -3.1902382
init plu[1]' = 0.00276725, plu[2]' = -0.00170702, plu[3]' = -0.00136504
run 0 .. 200000
